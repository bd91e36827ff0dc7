# text, JSON and CSV have the same checks in the same order; JSON counts those that are ok
strobe doctor >text
strobe doctor --json >json
strobe doctor --format csv >rows
python3 -c 'import csv, json
rows = json.load(open("json"))["rows"]
names = [r["check"] for r in rows]
print(len(names) > 30, len(set(names)) == len(names), names == [r["check"] for r in csv.DictReader(open("rows"))])
print(names == [l.split()[1] for l in open("text") if l.startswith("  ") and l.split()[0] in ("ok", "partly", "missing")])
print(json.load(open("json"))["ok"] == sum(r["state"] == "ok" for r in rows))
print(all((r["state"] == "ok") == (r["loss"] is None) for r in rows))'
