strobe kvm --no-such-option stat report
