strobe config pager
