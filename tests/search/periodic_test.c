#include "fact.h"

int main(void)
{
    return 0;
}
