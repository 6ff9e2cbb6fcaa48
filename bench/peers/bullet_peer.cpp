// Bullet's btDbvtBroadphase beside Runnel, as its users call it: every box a proxy, then
// calculateOverlappingPairs. Moving sets change their proxies; here every repetition starts anew. Its
// tree keeps boxes as they are (no margin is set), so its pairs are exact. Queries ask the tree of the
// broad phase, as its aabbTest does.
#include "box_peer.h"

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btDispatcher.h>

namespace
{

struct Counter : btBroadphaseAabbCallback {
    uint64_t found = 0;
    bool process(const btBroadphaseProxy *) override
    {
        found++;
        return true;
    }
};

btVector3 vector_at(const float *at)
{
    return btVector3(at[0], at[1], at[2]);
}

peer::Answer measure(const peer::Input &input)
{
    peer::Answer answer;
    std::vector<btBroadphaseProxy *> proxies(input.header.count);
    {
        double begin = peer::now();
        btDbvtBroadphase broadphase;
        broadphase.m_deferedcollide = true; // all pairs at once, its fastest way for a whole new set
        for (uint64_t i = 0; i < input.header.count; i++)
            proxies[i] =
                broadphase.createProxy(vector_at(&input.low[i * 3]), vector_at(&input.high[i * 3]),
                                       0, nullptr, 1, -1, nullptr);
        double built = peer::now();
        if (input.header.query_count > 0) {
            Counter counter;
            for (uint64_t k = 0; k < input.header.query_count; k++)
                broadphase.aabbTest(vector_at(&input.query_low[k * 3]),
                                    vector_at(&input.query_high[k * 3]), counter);
            answer.found = counter.found;
        } else {
            broadphase.calculateOverlappingPairs(nullptr);
            answer.found =
                static_cast<uint64_t>(broadphase.getOverlappingPairCache()->getNumOverlappingPairs());
        }
        answer.find = peer::now() - built;
        answer.build = built - begin;
    }
    for (btBroadphaseProxy *proxy : proxies)
        btAlignedFree(proxy); // the broad phase leaves them to us
    return answer;
}

} // namespace

int main()
{
    return peer::run("bullet", true, measure);
}
