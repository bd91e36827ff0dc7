strobe mem record -t loads true
