strobe kvm
