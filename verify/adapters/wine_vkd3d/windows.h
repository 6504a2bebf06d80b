/* The declarations that Wine's copy of vkd3d needs from the header of this name, so that it can be built without the rest of Wine. */
#ifndef ADAPTER_WINDOWS_H
#define ADAPTER_WINDOWS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t BOOL, HRESULT, INT, LONG;
typedef int64_t INT64, LONG64;
typedef uint8_t BYTE, UINT8;
typedef uint16_t UINT16, WORD;
typedef uint32_t DWORD, UINT, UINT32, ULONG;
typedef uint64_t UINT64;
typedef size_t SIZE_T;
typedef char CHAR;
typedef float FLOAT;
typedef wchar_t WCHAR;
typedef void *HANDLE;
typedef struct GUID {
    uint32_t Data1;
    uint16_t Data2, Data3;
    uint8_t Data4[8];
} GUID;

#define FALSE 0
#define TRUE 1
#define S_OK 0
#define S_FALSE 1
#define FAILED(result) ((result) < 0)
#define SUCCEEDED(result) ((result) >= 0)
#define E_NOTIMPL ((HRESULT)0x80004001)
#define E_NOINTERFACE ((HRESULT)0x80004002)
#define E_FAIL ((HRESULT)0x80004005)
#define E_OUTOFMEMORY ((HRESULT)0x8007000e)
#define E_INVALIDARG ((HRESULT)0x80070057)
#define CONTAINING_RECORD(at, type, field) ((type *)((char *)(at)-offsetof(type, field)))
#define HAVE_SYNC_ADD_AND_FETCH 1
#define HAVE_SYNC_SUB_AND_FETCH 1
#ifndef max
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#endif

#endif
