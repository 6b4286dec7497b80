//go:build tools

// Package tools pins promtool, which tests the alert rules of deploy/.
package tools

import _ "github.com/prometheus/prometheus/cmd/promtool"
