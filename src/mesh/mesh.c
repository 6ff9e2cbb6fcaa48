/* The empty mesh. */
#include <runnel/mesh.h>

rn_mesh rn_mesh_default(void)
{
    return (rn_mesh){.struct_bytes = sizeof(rn_mesh)};
}
