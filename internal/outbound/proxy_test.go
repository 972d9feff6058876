package outbound

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The operator's proxy is used for everything, may be private, and looks names up
// itself.
func TestProxy(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	var target string
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
		mu.Unlock()
		if strings.HasPrefix(r.Host, "forbidden.test") {
			http.Error(rw, "no", http.StatusForbidden)
			return
		}
		there, err := net.Dial("tcp", target)
		if err != nil {
			http.Error(rw, "gone", http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer here.Close()
		io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		var copying sync.WaitGroup
		copying.Go(func() { io.Copy(there, here); there.Close() })
		io.Copy(here, there)
		here.Close()
		copying.Wait()
	}))
	defer proxy.Close()
	u, err := ParseProxy(strings.Replace(proxy.URL, "http://", "http://jo:secret@", 1))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Config{Proxy: u}, func(http.ResponseWriter, *http.Request) {})
	target = w.server.Listener.Addr().String()
	w.refusal = w.checkAddress
	if a, err := w.get(t.Context(), w.at(host, "/"), 0); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%v, %v", a, err)
	}
	want := []string{"CONNECT " + strings.TrimPrefix(w.at(host, ""), "https://") + " Basic am86c2VjcmV0"}
	if !slices.Equal(asked, want) || w.names.lookups(host) != 0 {
		t.Errorf("asked %q, and %d lookups of our own", asked, w.names.lookups(host))
	}

	// A numeric address is refused before the proxy is asked.
	for _, address := range []string{"https://127.0.0.1/", "https://169.254.169.254/", "https://[::ffff:10.0.0.5]/", "https://localhost/"} {
		if _, err := w.get(t.Context(), address, 0); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}

	if _, err := w.get(t.Context(), "https://forbidden.test/", 0); err == nil || err.Error() != "The operator's proxy did not connect to forbidden.test:443: it answered 403." {
		t.Error(err)
	}
	w.Close()
	proxy.Close()
	_, err = w.get(t.Context(), w.at(host, "/"), 0)
	if err == nil || err.Error() != "The operator's proxy cannot be reached." {
		t.Error(err)
	}
}

func TestParseProxy(t *testing.T) {
	for _, good := range []string{"http://proxy.internal:3128", "https://10.0.0.1", "http://jo:secret@[::1]:8080/", "socks5://proxy:1080", "socks5h://proxy"} {
		if u, err := ParseProxy(good); err != nil || u.String() != good {
			t.Errorf("%s: %v, %v", good, u, err)
		}
	}
	for _, bad := range []string{"", "proxy:3128", "proxy.internal", "ftp://jo:secret@proxy", "http://", "http://jo:secret@proxy:port", "http://jo:secret@proxy/path", "http://proxy?a=b", "http://proxy#a"} {
		var u *url.URL
		u, err := ParseProxy(bad)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v", bad, u, err)
		}
	}
}
