// Embree beside Runnel: a bounding volume hierarchy over user geometry, and rtcCollide of the scene with
// itself. Embree tests bounds that it may have widened, so candidates pass our own test, and each pair
// is taken once. For queries, rtcPointQuery asks for a sphere around each query box; its callback tests
// the boxes.
#include "box_peer.h"

#include <embree3/rtcore.h>

#include <atomic>
#include <mutex>

namespace
{

void bounds(const RTCBoundsFunctionArguments *arguments)
{
    const peer::Input &input = *static_cast<const peer::Input *>(arguments->geometryUserPtr);
    const float *low = &input.low[arguments->primID * 3ul],
                *high = &input.high[arguments->primID * 3ul];
    RTCBounds *to = arguments->bounds_o;
    to->lower_x = low[0];
    to->lower_y = low[1];
    to->lower_z = low[2];
    to->upper_x = high[0];
    to->upper_y = high[1];
    to->upper_z = high[2];
}

std::vector<peer::Pair> pairs;
std::mutex pairs_mutex;

struct Collector {
    const peer::Input *input;
};

// Called from several threads at once, with batches of candidates.
void collide(void *user, RTCCollision *collisions, unsigned int count)
{
    const peer::Input &input = *static_cast<Collector *>(user)->input;
    thread_local std::vector<peer::Pair> mine;
    mine.clear();
    for (unsigned int k = 0; k < count; k++) {
        uint32_t a = collisions[k].primID0, b = collisions[k].primID1;
        if (a < b && peer::touch(&input.low[a * 3ul], &input.high[a * 3ul], &input.low[b * 3ul],
                                 &input.high[b * 3ul]))
            mine.push_back({a, b});
    }
    std::lock_guard<std::mutex> lock(pairs_mutex);
    pairs.insert(pairs.end(), mine.begin(), mine.end());
}

struct Asking {
    const peer::Input *input;
    uint64_t query, found;
};

bool near_box(RTCPointQueryFunctionArguments *arguments)
{
    Asking &asking = *static_cast<Asking *>(arguments->userPtr);
    const peer::Input &input = *asking.input;
    uint64_t i = arguments->primID, k = asking.query;
    asking.found += peer::touch(&input.low[i * 3], &input.high[i * 3], &input.query_low[k * 3],
                                &input.query_high[k * 3]);
    return false;
}

uint64_t ask_all(RTCScene scene, const peer::Input &input)
{
    Asking asking = {&input, 0, 0};
    for (; asking.query < input.header.query_count; asking.query++) {
        const float *low = &input.query_low[asking.query * 3],
                    *high = &input.query_high[asking.query * 3];
        float sum = 0.0f;
        RTCPointQuery query{};
        query.x = 0.5f * (low[0] + high[0]);
        query.y = 0.5f * (low[1] + high[1]);
        query.z = 0.5f * (low[2] + high[2]);
        for (int axis = 0; axis < 3; axis++)
            sum += 0.25f * (high[axis] - low[axis]) * (high[axis] - low[axis]);
        query.radius = std::sqrt(sum) * 1.001f + 1e-3f;
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        rtcPointQuery(scene, &query, &context, near_box, &asking);
    }
    return asking.found;
}

std::atomic<int64_t> held{0};

bool count_memory(void *, ssize_t bytes, bool)
{
    held += bytes;
    return true;
}

peer::Answer measure(const peer::Input &input)
{
    static RTCDevice device = nullptr;
    if (!device) {
        std::string config = "threads=" + std::to_string(input.header.threads) +
                             ",user_threads=" + std::to_string(input.header.threads);
        device = rtcNewDevice(config.c_str());
        rtcSetDeviceMemoryMonitorFunction(device, count_memory, nullptr);
    }
    peer::Answer answer;
    held = 0;
    double begin = peer::now();
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW); // the fastest whole
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned int>(input.header.count));
    rtcSetGeometryUserData(geometry, const_cast<peer::Input *>(&input));
    rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    double built = peer::now();
    if (input.header.query_count > 0) {
        answer.found = ask_all(scene, input);
    } else {
        pairs.clear();
        Collector collector = {&input};
        rtcCollide(scene, scene, collide, &collector);
        answer.found = pairs.size();
    }
    answer.find = peer::now() - built;
    answer.build = built - begin;
    answer.bytes =
        static_cast<uint64_t>(std::max<int64_t>(held, 0)) + pairs.capacity() * sizeof(peer::Pair);
    rtcReleaseScene(scene);
    return answer;
}

} // namespace

int main()
{
    return peer::run("embree", true, measure);
}
