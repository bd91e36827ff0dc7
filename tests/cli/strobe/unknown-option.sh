strobe version --bild-options
