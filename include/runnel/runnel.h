/* runnel/runnel.h - all of Runnel's public headers at once. */
#ifndef RUNNEL_RUNNEL_H
#define RUNNEL_RUNNEL_H

#include <runnel/base.h>
#include <runnel/broadphase.h>
#include <runnel/fluid.h>
#include <runnel/frame.h>
#include <runnel/gauge.h>
#include <runnel/geometry.h>
#include <runnel/mesh.h>
#include <runnel/mesh_query.h>
#include <runnel/search.h>
#include <runnel/solid.h>
#include <runnel/surface.h>
#include <runnel/xray.h>

#endif
