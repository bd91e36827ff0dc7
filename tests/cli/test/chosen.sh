# by number and by name, without those to be skipped; the list runs nothing
strobe test list byte 40 | cut -d: -f2
strobe test -s 1,3 list 1 2 3 | wc -l
strobe test "there and back" | grep -c "Ok\|Skip"
strobe test --format json records | python3 -c 'import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["subject"], row["name"], row["outcome"])'
strobe test --list-workloads | head -n 3
strobe test -w deterministic 1000 && echo ended
