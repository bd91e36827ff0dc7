strobe evlist --format xml
