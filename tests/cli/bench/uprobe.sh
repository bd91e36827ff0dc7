strobe bench uprobe
