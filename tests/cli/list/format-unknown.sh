strobe list --format xml
