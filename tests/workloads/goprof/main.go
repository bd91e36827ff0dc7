// Profiles with a known shape, written by Go's own runtime/pprof: cpu.pb.gz, heap.pb.gz, goroutine.txt.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

var sink uint64
var kept [][]byte

//go:noinline
func hot(n int) {
	for i := 0; i < n; i++ {
		sink = sink*31 + uint64(i)
	}
}

//go:noinline
func outer(n int) { hot(n); hot(n) }

//go:noinline
func keeps(n int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, 4096))
	}
}

func work(until time.Time) {
	for time.Now().Before(until) {
		outer(100000)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 4096
	cpu, err := os.Create("cpu.pb.gz")
	must(err)
	must(pprof.StartCPUProfile(cpu))
	pprof.Do(context.Background(), pprof.Labels("phase", "one"), func(context.Context) { work(time.Now().Add(300 * time.Millisecond)) })
	pprof.Do(context.Background(), pprof.Labels("phase", "two"), func(context.Context) { work(time.Now().Add(300 * time.Millisecond)) })
	pprof.StopCPUProfile()
	must(cpu.Close())
	keeps(2000)
	runtime.GC()
	heap, err := os.Create("heap.pb.gz")
	must(err)
	must(pprof.WriteHeapProfile(heap))
	must(heap.Close())
	text, err := os.Create("goroutine.txt")
	must(err)
	must(pprof.Lookup("goroutine").WriteTo(text, 1))
	must(text.Close())
}
