strobe bench numa mem
