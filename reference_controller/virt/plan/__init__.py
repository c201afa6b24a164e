"""Pure decisions about one internal VM: what is there now in, ordered writes out."""
