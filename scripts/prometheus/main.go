// Evaluates alert rules with Prometheus' own engine over recorded series:
//
//	prometheus RULES SERIES STEP
//
// RULES is JSON: a list of alert, expr and for (empty: at once). SERIES is text: a line for each sample, the series, its
// value and its time in milliseconds, as in Prometheus' exposition format. STEP is the time between two scrapes and two
// evaluations in milliseconds. Prints a line of JSON for each time that an alert fired: alert, labels, from and to.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

type rule struct {
	Alert string `json:"alert"`
	Expr  string `json:"expr"`
	For   string `json:"for"`
}

// A firing is one series of an alert, from the evaluation at which it began to fire to the last at which it did.
type firing struct {
	Alert  string            `json:"alert"`
	Labels map[string]string `json:"labels"`
	From   int64             `json:"from"`
	To     int64             `json:"to"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "prometheus:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("expected RULES SERIES STEP")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var rules []rule
	if err := json.Unmarshal(text, &rules); err != nil {
		return err
	}
	step, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	options := parser.NewParser(parser.Options{})
	recorded, err := readSeries(args[1], options, step)
	if err != nil {
		return err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples:           50_000_000,
		Timeout:              time.Minute,
		LookbackDelta:        5 * time.Minute,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
		Parser:               options,
	})
	out := json.NewEncoder(os.Stdout)
	for _, rule := range rules {
		fired, err := evaluate(engine, recorded, rule, step)
		if err != nil {
			return fmt.Errorf("%s: %w", rule.Alert, err)
		}
		for _, one := range fired {
			if err := out.Encode(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// As Prometheus evaluates an alert at each step: a series of the result is pending from its first evaluation on, and fires
// once it has been in every result for the time of `for`; the first result without it ends both. One query over the whole
// time has the result of each step.
func evaluate(engine *promql.Engine, recorded *recording, rule rule, step int64) ([]*firing, error) {
	hold, err := model.ParseDuration("0s")
	if rule.For != "" {
		hold, err = model.ParseDuration(rule.For)
	}
	if err != nil {
		return nil, err
	}
	from, to := time.UnixMilli(recorded.first), time.UnixMilli(recorded.last)
	interval := time.Duration(step) * time.Millisecond
	query, err := engine.NewRangeQuery(context.Background(), recorded, nil, rule.Expr, from, to, interval)
	if err != nil {
		return nil, err
	}
	defer query.Close()
	matrix, err := query.Exec(context.Background()).Matrix()
	if err != nil {
		return nil, err
	}
	var all []*firing
	for _, series := range matrix {
		var current *firing
		var since int64
		for i, point := range series.Floats {
			if i == 0 || point.T-series.Floats[i-1].T > step {
				since, current = point.T, nil
			}
			if point.T-since < time.Duration(hold).Milliseconds() {
				continue
			}
			if current == nil {
				current = &firing{Alert: rule.Alert, Labels: series.Metric.Map(), From: point.T}
				all = append(all, current)
			}
			current.To = point.T
		}
	}
	return all, nil
}
