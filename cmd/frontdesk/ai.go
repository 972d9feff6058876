package main

import (
	"errors"
	"time"

	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// aiSettings name the language model that suggests titles, priorities and AI
// fields, and that members ask for help. Without a model, rules suggest, and there is no
// help.
type aiSettings struct {
	AIURL     string        `name:"ai-url" placeholder:"URL" env:"FRONTDESK_AI_URL" help:"An OpenAI-compatible server, such as https://api.example.com/v1. Frontdesk sends it the text of a request that the requester can read, and what members ask it about."`
	AIModel   string        `name:"ai-model" placeholder:"NAME" env:"FRONTDESK_AI_MODEL" help:"The name of the model."`
	AIKey     string        `name:"ai-key" placeholder:"KEY" env:"FRONTDESK_AI_KEY" help:"The API key, if the server needs one."`
	AITimeout time.Duration `name:"ai-timeout" placeholder:"DURATION" default:"15s" env:"FRONTDESK_AI_TIMEOUT" help:"How long to wait for an answer before rules take over, or the member who asked is told."`
	AIBudget  int           `name:"ai-budget" placeholder:"N" default:"500000" env:"FRONTDESK_AI_BUDGET" help:"How many tokens an account may use per day (UTC) before rules take over. 0 means no limit."`
	AIHelp    bool          `name:"ai-help" negatable:"" default:"true" env:"FRONTDESK_AI_HELP" help:"Let members ask the model for summaries, drafted replies and translations. Summaries read internal notes, too."`
}

// provider returns what the settings name: the rules, or a model that falls back
// to the rules.
func (a aiSettings) provider(s *store.Store) (suggest.Provider, error) {
	switch {
	case a.AIURL == "" && a.AIModel == "" && a.AIKey == "":
		return suggest.Rules{}, nil
	case a.AIURL == "" || a.AIModel == "":
		return nil, errors.New("FRONTDESK_AI_URL and FRONTDESK_AI_MODEL belong together: set both")
	case a.AIBudget < 0:
		return nil, errors.New("FRONTDESK_AI_BUDGET must not be negative; 0 means no limit")
	}
	c := suggest.Config{URL: a.AIURL, Key: a.AIKey, Model: a.AIModel, Timeout: a.AITimeout}
	if a.AIBudget > 0 {
		c.Budget = s.Budget(a.AIBudget)
	}
	return suggest.NewModel(c)
}

// helper returns the model that members ask, nil for none.
func (a aiSettings) helper(p suggest.Provider) *suggest.Model {
	m, _ := p.(*suggest.Model)
	if !a.AIHelp {
		return nil
	}
	return m
}
