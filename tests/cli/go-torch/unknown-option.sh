strobe go-torch --binarinput x
