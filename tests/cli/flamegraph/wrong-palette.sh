strobe flamegraph --colors mauve
