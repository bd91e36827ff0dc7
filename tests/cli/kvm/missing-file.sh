strobe kvm stat report
