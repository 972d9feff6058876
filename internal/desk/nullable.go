package desk

// Nullable is a member of a change that takes null. The zero value was not
// given and leaves the field as it is; given without a Value, it clears it.
type Nullable[T any] struct {
	Given bool
	Value *T
}

// Null is given as null.
func Null[T any]() Nullable[T] { return Nullable[T]{Given: true} }

// Just is given as a value.
func Just[T any](v T) Nullable[T] { return Nullable[T]{Given: true, Value: &v} }

// setNullable takes over what was given, null included.
func setNullable[T any](field **T, v Nullable[T]) {
	if v.Given {
		*field = v.Value
	}
}
