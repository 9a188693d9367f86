// A paced server of streamed chat completions with a log of its own timestamps, for scripts/peers.ts.
// Its argument is a JSON object, see options; without one it prints the names of its faults.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type options struct {
	// Uniform between two times, milliseconds: the first token, and the gap between two.
	TTFT, Gap [2]float64
	// Nothing is written between these two times after the first request, milliseconds.
	Freeze [2]float64
	// Texts of each answer, whatever the request says.
	Tokens int
	Fault  string
	// File that the log is written to when standard input ends, one line per stream.
	Log string
}

// stream is one line of the log; times are nanoseconds of CLOCK_MONOTONIC.
type stream struct {
	// Accepted is the time of the connection if this is its first request, or else that of the request.
	Accepted int64 `json:"accepted"`
	Received int64 `json:"received"`
	// Sent are the times of all events, Kinds their kinds: content, terminal or other.
	Sent  []int64 `json:"sent"`
	Kinds string  `json:"kinds"`
	// Ended is 0 if the client left before.
	Ended int64 `json:"ended"`
}

type event struct {
	data string
	kind byte
	// Time since the event before.
	wait time.Duration
}

// cut is the kind of an event in whose place the connection is closed.
const cut = 'x'

// middle is the place of the event that a fault changes.
const middle = 10

type fault struct {
	name string
	edit func([]event) []event
}

var faults = []fault{
	{"none", func(all []event) []event { return all }},
	{"status 500", func([]event) []event { return nil }},
	{"connection cut", func(all []event) []event { return append(all[:middle], event{kind: cut}) }},
	{"error event", func(all []event) []event {
		failure := `{"error":{"message":"failed","type":"server_error"}}`
		return append(all[:middle], event{data: failure, kind: 'o'})
	}},
	{"broken JSON", func(all []event) []event {
		data := all[middle].data
		all[middle].data = data[:len(data)-8]
		return all
	}},
	{"clean end in the middle", func(all []event) []event { return all[:middle] }},
	{"text after the end", func(all []event) []event {
		return slices.Insert(all, finishOf(all)+1, all[middle])
	}},
	{"another id", func(all []event) []event {
		all[middle].data = strings.Replace(all[middle].data, `"id":"`, `"id":"x`, 1)
		return all
	}},
	{"no finish_reason", func(all []event) []event {
		return slices.Delete(all, finishOf(all), finishOf(all)+1)
	}},
	{"no [DONE]", func(all []event) []event { return all[:len(all)-1] }},
	{"a chunk twice", func(all []event) []event { return slices.Insert(all, middle, all[middle]) }},
	{"two chunks exchanged", func(all []event) []event {
		all[middle].data, all[middle+1].data = all[middle+1].data, all[middle].data
		return all
	}},
}

func finishOf(all []event) int {
	return slices.IndexFunc(all, func(each event) bool {
		return strings.Contains(each.data, `"finish_reason":"`)
	})
}

type server struct {
	options
	edit    func([]event) []event
	mutex   sync.Mutex
	streams []*stream
}

type connectionKey struct{}

// connection has the time at which it was accepted, and 0 after its first request.
type connection struct{ accepted int64 }

func main() {
	if len(os.Args) == 1 {
		for _, each := range faults {
			fmt.Println(each.name)
		}
		return
	}
	s := &server{}
	check(json.Unmarshal([]byte(os.Args[1]), &s.options))
	chosen := slices.IndexFunc(faults, func(each fault) bool { return each.name == s.Fault })
	s.edit = faults[chosen].edit
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Printf("Listening on http://%s\n", listener.Addr())
	ended := make(chan os.Signal, 2)
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		ended <- syscall.SIGTERM
	}()
	http.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[{"id":"svc-main-model","object":"model","created":0,"owned_by":"x"}]}`)
	})
	http.HandleFunc("POST /v1/chat/completions", s.complete)
	go (&http.Server{ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, &connection{now()})
	}}).Serve(listener)
	<-ended
	s.write()
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	received := now()
	log := &stream{Accepted: received, Received: received, Sent: []int64{}}
	if conn := r.Context().Value(connectionKey{}).(*connection); conn.accepted > 0 {
		log.Accepted, conn.accepted = conn.accepted, 0
	}
	s.mutex.Lock()
	s.streams = append(s.streams, log)
	number, began := len(s.streams), s.streams[0].Received
	s.mutex.Unlock()
	var request struct {
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil {
		http.Error(w, `{"error":{"message":"the body is no JSON"}}`, http.StatusBadRequest)
		return
	}
	events := s.edit(s.events(number, request.StreamOptions.IncludeUsage))
	if len(events) == 0 {
		http.Error(w, `{"error":{"message":"failed"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	due := received
	for _, each := range events {
		due += each.wait.Nanoseconds()
		time.Sleep(time.Duration(due - now()))
		if frozen := now() - began; frozen >= nanoseconds(s.Freeze[0]) {
			time.Sleep(time.Duration(nanoseconds(s.Freeze[1]) - frozen))
		}
		if each.kind == cut {
			panic(http.ErrAbortHandler)
		}
		log.Sent = append(log.Sent, now())
		log.Kinds += string(each.kind)
		if _, err := fmt.Fprintf(w, "data: %s\n\n", each.data); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
	if r.Context().Err() == nil {
		log.Ended = now()
	}
}

// events begin with an empty text at once, as services do that open a stream before its first token.
func (s *server) events(number int, hasUsage bool) []event {
	random := rand.New(rand.NewPCG(1, uint64(number)))
	between := func(bounds [2]float64) time.Duration {
		return time.Duration(nanoseconds(bounds[0] + (bounds[1]-bounds[0])*random.Float64()))
	}
	head := fmt.Sprintf(`{"id":"chatcmpl-%d","object":"chat.completion.chunk","created":%d,"model":"svc-main-model"`,
		number, time.Now().Unix())
	choice := func(delta, finish string) string {
		return fmt.Sprintf(`%s,"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, head, delta, finish)
	}
	all := []event{{choice(`{"role":"assistant","content":""}`, "null"), 'o', 0}}
	wait := between(s.TTFT)
	for token := range s.Tokens {
		all = append(all, event{choice(fmt.Sprintf(`{"content":"w%d "}`, token), "null"), 'c', wait})
		wait = between(s.Gap)
	}
	all = append(all, event{choice("{}", `"length"`), 'o', 0})
	if hasUsage {
		usage := fmt.Sprintf(`{"prompt_tokens":8,"completion_tokens":%d,"total_tokens":%d}`, s.Tokens, s.Tokens+8)
		all = append(all, event{fmt.Sprintf(`%s,"choices":[],"usage":%s}`, head, usage), 'o', 0})
	}
	return append(all, event{"[DONE]", 't', 0})
}

func (s *server) write() {
	file, err := os.Create(s.Log)
	check(err)
	buffer := bufio.NewWriter(file)
	s.mutex.Lock()
	for _, each := range s.streams {
		check(json.NewEncoder(buffer).Encode(each))
	}
	check(buffer.Flush())
}

// now reads the clock of process.hrtime.
func now() int64 {
	var at syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func nanoseconds(ms float64) int64 {
	return int64(ms * 1e6)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
