# a script may end when it has seen enough, or be ended
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
printf 'import os\ndef process_event(event):\n    os.kill(os.getpid(), 9)\n' > killed.py
strobe script -i x.data -s killed.py
echo $?
printf 'import sys\ndef process_event(event):\n    sys.stdout.buffer.write(b"\\xff\\n")\n    sys.exit(3)\n' > ends.py
strobe script -i x.data -s ends.py | od -An -tx1
strobe script -i x.data -s ends.py > /dev/null
