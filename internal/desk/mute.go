package desk

// Mute says whether a member wants to hear nothing of a collection. It is a
// matter of their own: others see nothing of it.
type Mute struct{ Muted bool }
