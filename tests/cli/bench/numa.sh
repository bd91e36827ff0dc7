strobe bench numa
