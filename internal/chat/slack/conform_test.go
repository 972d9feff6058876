package slack_test

import (
	"testing"

	"frontdesk/internal/chat/chattest"
)

// The sandbox speaks Slack's protocol. What holds with it is meant to hold with
// Slack.

func TestConform(t *testing.T) { chattest.Run(t, openWorld) }

func TestConformHostile(t *testing.T) { chattest.RunHostile(t, openWorld) }
