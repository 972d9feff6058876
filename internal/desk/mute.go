package desk

// Mute says whether a member has muted a collection. Only they can see this.
type Mute struct{ Muted bool }
