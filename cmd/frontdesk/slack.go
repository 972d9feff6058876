package main

import (
	"fmt"
	"os"

	"frontdesk/internal/chat/slack"
)

type slackCommand struct {
	Manifest slackManifestCommand `cmd:"" help:"Print the manifest for creating your Slack app."`
}

type slackManifestCommand struct{}

func (slackManifestCommand) Run(s *settings) error {
	if s.URL == "" {
		return fmt.Errorf("set --url or FRONTDESK_URL to the address at which Slack reaches the server, such as https://desk.example.com")
	}
	_, err := os.Stdout.Write(append(slack.Manifest(s.URL), '\n'))
	return err
}
