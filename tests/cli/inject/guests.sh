strobe inject --guest-data=x -i absent.data
