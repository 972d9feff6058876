package move

var FileColumns = fileColumns
