strobe timechart --io-min-time soon
