strobe kvm stat report --event none
strobe kvm stat report -k size
strobe kvm stat report -i
