// Package strictyaml reads YAML into Go values and refuses whatever is not
// exactly what the value asks for: unknown and repeated keys, values of
// another type, numbers that are not finite or not decimal. It reports what is
// wrong at once, up to a hundred things, each with its file and line.
//
// The time to read a document grows with its size and no faster. A document
// has at most 32 MiB, 500,000 of the characters that stand before values
// (,:-?[{), 32 levels, and keys of 255 bytes.
//
// A Node keeps a part of a document for later, for a type that is only known
// once other parts have been read. (The YAML library's own strict mode does
// not reach such parts, so the values are filled in here.)
//
// Anchors, aliases, merge keys, custom tags and several documents in a file
// are left out of the language on purpose.
package strictyaml
