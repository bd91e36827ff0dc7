// Profiles with a known shape, written by Go's own runtime/pprof: cpu.pb.gz, and all others packed (heap.pb.gz) and as text
// (heap.txt): heap, goroutine, block, mutex, threadcreate.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
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

// Two that want one lock: each waits for the other, and the other lets it wait.
func contend() {
	var lock sync.Mutex
	var done sync.WaitGroup
	for i := 0; i < 2; i++ {
		done.Add(1)
		go func() {
			for j := 0; j < 20; j++ {
				lock.Lock()
				time.Sleep(time.Millisecond)
				lock.Unlock()
			}
			done.Done()
		}()
	}
	done.Wait()
}

func write(profile, path string, debug int) {
	f, err := os.Create(path)
	must(err)
	must(pprof.Lookup(profile).WriteTo(f, debug))
	must(f.Close())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 4096
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	cpu, err := os.Create("cpu.pb.gz")
	must(err)
	must(pprof.StartCPUProfile(cpu))
	pprof.Do(context.Background(), pprof.Labels("phase", "one"), func(context.Context) { work(time.Now().Add(300 * time.Millisecond)) })
	pprof.Do(context.Background(), pprof.Labels("phase", "two"), func(context.Context) { work(time.Now().Add(300 * time.Millisecond)) })
	pprof.StopCPUProfile()
	must(cpu.Close())
	contend()
	keeps(2000)
	runtime.GC()
	for _, name := range []string{"heap", "goroutine", "block", "mutex", "threadcreate"} {
		write(name, name+".pb.gz", 0)
		write(name, name+".txt", 1)
	}
}
