// The driver for Porcupine in bench/checkers-linearizability.ts. It reads histories as JSON from standard input,
// checks each several times with Porcupine's public API, and prints the best time of each. It is built in a temporary
// folder against a checkout of Porcupine that the user names; nothing of Porcupine is part of this project.
package main

import (
	"encoding/json"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

// Event is one invocation or return. Unknown outcomes return at the end of the history.
type Event struct {
	Return  bool   `json:"return"`
	ID      int    `json:"id"`
	Op      string `json:"op"`
	Key     string `json:"key"`
	A       string `json:"a"`
	B       string `json:"b"`
	Output  string `json:"output"`
	Matched bool   `json:"matched"`
	Unknown bool   `json:"unknown"`
}

// Case is one history with the name of its model.
type Case struct {
	File   string  `json:"file"`
	Model  string  `json:"model"`
	Rounds int     `json:"rounds"`
	Events []Event `json:"events"`
}

// Result is what is printed.
type Result struct {
	File    string  `json:"file"`
	Verdict string  `json:"verdict"`
	Ms      float64 `json:"ms"`
}

// FNV-1a, without the allocations of hash/fnv.
func hashText(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// Call is an event with its values as numbers, so that a step costs Porcupine as little as it can.
type Call struct {
	kind             int
	a, b, output     int
	matched, unknown bool
}

const null = -1

func number(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return null
}

func callOf(event Event) *Call {
	kinds := map[string]int{"read": 0, "write": 1, "cas": 2}
	return &Call{kinds[event.Op], number(event.A), number(event.B), number(event.Output), event.Matched, event.Unknown}
}

func casStep(state, input, output interface{}) (bool, interface{}) {
	value, in, out := state.(int), input.(*Call), output.(*Call)
	switch in.kind {
	case 0:
		return out.unknown || out.output == value, state
	case 1:
		return true, in.a
	default:
		matches := value == in.a
		next := value
		if matches {
			next = in.b
		}
		return out.unknown || out.matched == matches, next
	}
}

var casRegister = porcupine.Model{
	Init: func() interface{} { return null },
	Step: casStep,
	Hash: func(state interface{}) uint64 { return uint64(state.(int)+2) * 0x9e3779b97f4a7c15 },
}

func kvStep(value string, in, out *Event) (bool, string) {
	switch in.Op {
	case "get":
		return out.Output == value, value
	case "put":
		return true, in.A
	default:
		return true, value + in.A
	}
}

var kv = porcupine.Model{
	PartitionEvent: func(history []porcupine.Event) [][]porcupine.Event {
		keys := map[int]string{}
		parts := map[string][]porcupine.Event{}
		for _, event := range history {
			if event.Kind == porcupine.CallEvent {
				keys[event.Id] = event.Value.(*Event).Key
			}
			parts[keys[event.Id]] = append(parts[keys[event.Id]], event)
		}
		all := [][]porcupine.Event{}
		for _, part := range parts {
			all = append(all, part)
		}
		return all
	},
	Init: func() interface{} { return "" },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		ok, next := kvStep(state.(string), input.(*Event), output.(*Event))
		return ok, next
	},
	Hash: func(state interface{}) uint64 { return hashText(state.(string)) },
}

var kvWhole = porcupine.Model{
	Init: func() interface{} { return map[string]string{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		values, in := state.(map[string]string), input.(*Event)
		ok, next := kvStep(values[in.Key], in, output.(*Event))
		if !ok || in.Op == "get" {
			return ok, values
		}
		copied := make(map[string]string, len(values)+1)
		for key, value := range values {
			copied[key] = value
		}
		copied[in.Key] = next
		return true, copied
	},
	Equal: func(a, b interface{}) bool {
		left, right := a.(map[string]string), b.(map[string]string)
		if len(left) != len(right) {
			return false
		}
		for key, value := range left {
			if right[key] != value {
				return false
			}
		}
		return true
	},
	Hash: func(state interface{}) uint64 {
		values := state.(map[string]string)
		keys := make([]string, 0, len(values))
		for key := range values {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		h := uint64(0)
		for _, key := range keys {
			h = (h ^ hashText(key)) * 1099511628211
			h = (h ^ hashText(values[key])) * 1099511628211
		}
		return h
	},
}

func main() {
	var cases []Case
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	models := map[string]porcupine.Model{"cas-register": casRegister, "kv": kv, "kv-whole": kvWhole}
	results := []Result{}
	for _, one := range cases {
		events := make([]porcupine.Event, 0, len(one.Events))
		for _, event := range one.Events {
			kind := porcupine.CallEvent
			if event.Return {
				kind = porcupine.ReturnEvent
			}
			var value interface{} = callOf(event)
			if one.Model != "cas-register" {
				copied := event
				value = &copied
			}
			events = append(events, porcupine.Event{Kind: kind, Id: event.ID, Value: value})
		}
		result := Result{File: one.File, Ms: -1}
		for round := 0; round < one.Rounds; round++ {
			begin := time.Now()
			verdict := porcupine.CheckEventsTimeout(models[one.Model], events, 0)
			ms := float64(time.Since(begin).Nanoseconds()) / 1e6
			if result.Ms < 0 || ms < result.Ms {
				result.Ms = ms
			}
			result.Verdict = string(verdict)
		}
		results = append(results, result)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
