# --format json has what -j has, under its own names
strobe list -j sw >j
strobe list --format json sw >d
python3 -c 'import json
theirs, ours = json.load(open("j")), json.load(open("d"))
print(ours["format"], ours["version"], len(theirs) > 5)
print([e["EventName"] for e in theirs] == [e["event"] for e in ours["events"]])'
