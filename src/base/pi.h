/* Pi, which C17 itself does not define. */
#ifndef RNI_BASE_PI_H
#define RNI_BASE_PI_H

#define RNI_PI 3.14159265358979323846

#endif
