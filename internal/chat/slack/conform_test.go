package slack_test

import (
	"testing"

	"frontdesk/internal/chat/chattest"
)

// The sandbox speaks Slack's protocol. What works with it should work with Slack.

func TestConform(t *testing.T) { chattest.Run(t, openWorld) }

func TestConformHostile(t *testing.T) { chattest.RunHostile(t, openWorld) }
