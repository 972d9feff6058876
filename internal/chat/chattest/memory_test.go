package chattest

import "testing"

func TestMemory(t *testing.T) { Run(t, Memory) }

func TestMemoryHostile(t *testing.T) { RunHostile(t, Memory) }
