package main

import (
	"fmt"
	"os"

	"frontdesk/internal/chat/slack"
)

type slackCommand struct {
	Manifest slackManifestCommand `cmd:"" help:"Print the manifest to make your Slack app from."`
}

type slackManifestCommand struct{}

func (slackManifestCommand) Run(s *settings) error {
	if s.URL == "" {
		return fmt.Errorf("say where Slack reaches the server, with --url or FRONTDESK_URL: https://desk.example.com")
	}
	_, err := os.Stdout.Write(append(slack.Manifest(s.URL), '\n'))
	return err
}
