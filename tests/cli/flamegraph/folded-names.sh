# names of folded stacks are not shortened a second time
printf 'main;handler (app.js:10);foo(int) 5\nmain;fib (x.py:2);say (no) 3\n' > x.folded
strobe flamegraph --folded x.folded
