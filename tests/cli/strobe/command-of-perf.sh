strobe kvm stat
