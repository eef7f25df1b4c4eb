// Package fetch downloads the files of datasets. A download that was cut off
// goes on where it stopped, and a file gets its name only when its content is
// known to be right.
//
// Until then it is called NAME.part. Beside it, NAME.part.json says which
// version of the file the server began with; another version starts from the
// beginning.
package fetch
