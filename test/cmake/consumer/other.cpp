// Includes no generated header: must not be compiled again when a kernel changes.
#include "other.h"

float factor() { return 2; }
