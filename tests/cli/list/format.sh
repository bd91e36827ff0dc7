# --format json is -j
strobe list -j sw >j
strobe list --format json sw | cmp - j && python3 -c "import json; print(len(json.load(open(\"j\"))) > 5)"
