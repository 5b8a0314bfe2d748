package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// A recording is what was scraped, as a storage that the engine reads.
type recording struct {
	series      []*recorded
	first, last int64
}

type recorded struct {
	labels  labels.Labels
	samples []chunks.Sample
}

type point struct {
	at    int64
	value float64
}

func (p point) T() int64                      { return p.at }
func (p point) ST() int64                     { return 0 }
func (p point) F() float64                    { return p.value }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }

// A series that is missing from a scrape ends there, as Prometheus ends it: by a stale marker.
func readSeries(path string, options parser.Parser, step int64) (*recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := &recording{first: math.MaxInt64, last: math.MinInt64}
	known := map[string]*recorded{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, at, number, err := splitLine(lines.Text())
		if err != nil {
			return nil, err
		}
		one := known[name]
		if one == nil {
			metric, err := options.ParseMetric(name)
			if err != nil {
				return nil, err
			}
			one = &recorded{labels: metric}
			known[name] = one
			all.series = append(all.series, one)
		}
		if count := len(one.samples); count > 0 && at-one.samples[count-1].T() > step {
			one.end(step)
		}
		one.samples = append(one.samples, point{at, number})
		all.first, all.last = min(all.first, at), max(all.last, at)
	}
	for _, one := range all.series {
		if one.samples[len(one.samples)-1].T() < all.last {
			one.end(step)
		}
	}
	sort.Slice(all.series, func(i, j int) bool {
		return labels.Compare(all.series[i].labels, all.series[j].labels) < 0
	})
	return all, lines.Err()
}

func (r *recorded) end(step int64) {
	at := r.samples[len(r.samples)-1].T() + step
	r.samples = append(r.samples, point{at, math.Float64frombits(value.StaleNaN)})
}

func splitLine(line string) (name string, at int64, number float64, err error) {
	end := strings.LastIndexByte(line, ' ')
	middle := -1
	if end > 0 {
		middle = strings.LastIndexByte(line[:end], ' ')
	}
	if middle < 0 {
		return "", 0, 0, fmt.Errorf("not a sample: %q", line)
	}
	if at, err = strconv.ParseInt(line[end+1:], 10, 64); err != nil {
		return "", 0, 0, err
	}
	number, err = strconv.ParseFloat(line[middle+1:end], 64)
	return line[:middle], at, number, err
}

func (r *recording) Querier(mint, maxt int64) (storage.Querier, error) {
	return &querier{recording: r, mint: mint, maxt: maxt}, nil
}

type querier struct {
	storage.LabelQuerier
	recording  *recording
	mint, maxt int64
}

func (q *querier) Close() error { return nil }

func (q *querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	found := &selection{at: -1}
	for _, one := range q.recording.series {
		if !matchesAll(one.labels, matchers) {
			continue
		}
		from := sort.Search(len(one.samples), func(i int) bool { return one.samples[i].T() >= q.mint })
		to := sort.Search(len(one.samples), func(i int) bool { return one.samples[i].T() > q.maxt })
		if from < to {
			found.series = append(found.series, storage.NewListSeries(one.labels, one.samples[from:to]))
		}
	}
	return found
}

func matchesAll(of labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(of.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

type selection struct {
	series []storage.Series
	at     int
}

func (s *selection) Next() bool                        { s.at++; return s.at < len(s.series) }
func (s *selection) At() storage.Series                { return s.series[s.at] }
func (s *selection) Err() error                        { return nil }
func (s *selection) Warnings() annotations.Annotations { return nil }
