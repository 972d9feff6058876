package main

import (
	"errors"
	"time"

	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// aiSettings name a language model that titles, priorities and AI fields are
// asked of. Without one, rules do it all.
type aiSettings struct {
	AIURL     string        `name:"ai-url" placeholder:"URL" env:"FRONTDESK_AI_URL" help:"An OpenAI-compatible server, as in https://api.example.com/v1. What requesters can read of a request is sent there."`
	AIModel   string        `name:"ai-model" placeholder:"NAME" env:"FRONTDESK_AI_MODEL" help:"The model's name there."`
	AIKey     string        `name:"ai-key" placeholder:"KEY" env:"FRONTDESK_AI_KEY" help:"The key that is sent along; without it none is."`
	AITimeout time.Duration `name:"ai-timeout" default:"15s" env:"FRONTDESK_AI_TIMEOUT" help:"How long one answer may take, before rules answer instead."`
	AIBudget  int           `name:"ai-budget" default:"500000" env:"FRONTDESK_AI_BUDGET" help:"Tokens that an account may use in a day (UTC), before rules answer instead; 0 is no limit."`
}

// provider is what the settings name: the rules, or a model that falls back to
// them.
func (a aiSettings) provider(s *store.Store) (suggest.Provider, error) {
	switch {
	case a.AIURL == "" && a.AIModel == "" && a.AIKey == "":
		return suggest.Rules{}, nil
	case a.AIURL == "" || a.AIModel == "":
		return nil, errors.New("FRONTDESK_AI_URL and FRONTDESK_AI_MODEL belong together: set both")
	case a.AIBudget < 0:
		return nil, errors.New("FRONTDESK_AI_BUDGET must not be negative; 0 is no limit")
	}
	c := suggest.Config{URL: a.AIURL, Key: a.AIKey, Model: a.AIModel, Timeout: a.AITimeout}
	if a.AIBudget > 0 {
		c.Budget = s.Budget(a.AIBudget)
	}
	return suggest.NewModel(c)
}
