//go:build tools

// Package kwok pins the program that plays the kubelets of the tests' nodes.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
