#pragma once
#define CUDART_VERSION 12060
