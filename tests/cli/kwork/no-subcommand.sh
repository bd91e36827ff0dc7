strobe kwork
