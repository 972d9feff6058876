package desk

// Nullable is a field of a change that accepts null. The zero value means not given
// and leaves the field as it is. Given without a Value, it clears the field.
type Nullable[T any] struct {
	Given bool
	Value *T
}

// Null returns a Nullable that was given as null.
func Null[T any]() Nullable[T] { return Nullable[T]{Given: true} }

// Just returns a Nullable that was given as a value.
func Just[T any](v T) Nullable[T] { return Nullable[T]{Given: true, Value: &v} }

// setNullable sets the field if v was given, null included.
func setNullable[T any](field **T, v Nullable[T]) {
	if v.Given {
		*field = v.Value
	}
}
